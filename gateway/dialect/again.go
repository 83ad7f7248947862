package dialect

import (
	"cmp"
	"net/http"
)

// AsksAgain reports whether a client says that it repeats a request. An equal request
// without a mark is a new one: a compaction may repeat it.
func AsksAgain(h http.Header) bool {
	if n := h.Get("X-Stainless-Retry-Count"); n != "" && n != "0" {
		return true
	}
	return KeyOf(h) != ""
}

// KeyOf is the client's own name of a request, which a retry repeats; empty: it has none.
func KeyOf(h http.Header) string {
	return cmp.Or(h.Get("Idempotency-Key"), h.Get("X-Client-Request-Id"))
}
