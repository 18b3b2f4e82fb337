package main

import (
	"fmt"
	"net/http"
	"strconv"
)

// HandleStream sends events to the console as server-sent events. A client that reconnects names
// the last event that it saw, and gets what it missed.
func HandleStream(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streaming is not supported", http.StatusNotImplemented)
		return
	}
	last, err := strconv.ParseUint(r.Header.Get("Last-Event-ID"), 10, 64)
	if err != nil {
		last = 0
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for event := range Subscribe(r.Context(), last+1) {
		fmt.Fprintf(w, "id: %d\ndata: %s\n\n", event.Sequence, event.Payload)
		flusher.Flush()
	}
}
