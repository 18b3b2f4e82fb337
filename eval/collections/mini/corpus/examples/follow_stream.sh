#!/bin/sh
# Use case: follow all changes of the schedule on a terminal.
curl --no-buffer --header "Authorization: Bearer $TOKEN" http://localhost:7090/v1/stream
