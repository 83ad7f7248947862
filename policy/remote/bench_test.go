package remote

import (
	"net/http"
	"testing"
)

// BenchmarkAsk is what a request costs beside the network.
func BenchmarkAsk(b *testing.B) {
	s, err := New(Config{URL: "http://server/v1", APIKey: "secret", Transport: transport(func() (*http.Response, error) { return response(200, "{}"), nil })})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := s.Ask(b.Context(), call()); err != nil {
			b.Fatal(err)
		}
	}
}
