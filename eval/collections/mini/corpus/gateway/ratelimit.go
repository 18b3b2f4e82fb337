package main

import (
	"net/http"
	"sync"
	"time"
)

// RateLimiter allows a number of requests a period for each client: a token bucket that refills
// evenly.
type RateLimiter struct {
	mu      sync.Mutex
	rate    float64
	burst   float64
	buckets map[string]*bucket
}

type bucket struct {
	tokens float64
	last   time.Time
}

// NewRateLimiter returns a limiter of burst requests a period.
func NewRateLimiter(burst int, period time.Duration) *RateLimiter {
	return &RateLimiter{
		rate:    float64(burst) / period.Seconds(),
		burst:   float64(burst),
		buckets: make(map[string]*bucket),
	}
}

// Allow takes one token of the client's bucket, if there is one.
func (l *RateLimiter) Allow(client string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets[client]
	if !ok {
		b = &bucket{tokens: l.burst, last: now}
		l.buckets[client] = b
	}
	b.tokens = min(l.burst, b.tokens+now.Sub(b.last).Seconds()*l.rate)
	b.last = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

// Middleware answers 429 to clients that ask too often.
func (l *RateLimiter) Middleware(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !l.Allow(r.Header.Get("X-Client"), time.Now()) {
			w.Header().Set("Retry-After", "3")
			http.Error(w, "too many requests", http.StatusTooManyRequests)
			return
		}
		next.ServeHTTP(w, r)
	})
}
