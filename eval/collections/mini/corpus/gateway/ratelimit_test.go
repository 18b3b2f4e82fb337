package main

import (
	"testing"
	"time"
)

func TestBucketRefills(t *testing.T) {
	limiter := NewRateLimiter(2, time.Minute)
	now := time.Unix(0, 0)
	for i, want := range []bool{true, true, false} {
		if got := limiter.Allow("agent", now); got != want {
			t.Fatalf("request %d: got %v", i, got)
		}
	}
	if !limiter.Allow("agent", now.Add(30*time.Second)) {
		t.Fatal("half a minute is one token")
	}
}
