package web

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestAddresses(t *testing.T) {
	for _, test := range []struct{ host, proto, at, want, other string }{
		{"127.0.0.1:8000", "", "", "http://127.0.0.1:8000", "http://127.0.0.1:8001"},
		{"gate.example", "https", "", "https://gate.example", "http://gate.example:8001"},
		{"gate.example:8000", "", "0.0.0.0", "http://gate.example:8000", "http://gate.example:8001"},
		{"gate.example:8000", "", "10.0.0.7", "http://gate.example:8000", "http://10.0.0.7:8001"},
		{"[::1]:8000", "", "[::]", "http://[::1]:8000", "http://[::1]:8001"},
		{"localhost:8000", "", "[fd00::1]", "http://localhost:8000", "http://[fd00::1]:8001"},
	} {
		r := httptest.NewRequest(http.MethodGet, "http://"+test.host+"/", nil)
		r.Header.Set("X-Forwarded-Proto", test.proto)
		if got, other := Address(r), AddressAt(test.at, 8001, r); got != test.want || other != test.other {
			t.Errorf("%s and %s: %s, want %s; %s, want %s", test.host, test.at, got, test.want, other, test.other)
		}
	}
}
