// Command gateway is the public edge: it checks who asks, limits how often, and forwards commands.
package main

import (
	"log"
	"net/http"
	"time"
)

func main() {
	limiter := NewRateLimiter(20, time.Minute)
	mux := http.NewServeMux()
	mux.Handle("/v1/calls", Chain(http.HandlerFunc(HandleCall), RequireToken, limiter.Middleware))
	mux.Handle("/v1/stream", Chain(http.HandlerFunc(HandleStream), RequireToken))
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	server := &http.Server{Addr: ":7090", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}
