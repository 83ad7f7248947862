package web_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/quintain-rl/quintain/internal/settings"
	"github.com/quintain-rl/quintain/internal/web"
)

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why, file string
		change    func(*web.Settings)
		fault     string
	}{
		{"the defaults", "", func(*web.Settings) {}, ""},
		{"all", "host: 0.0.0.0\nport: 0\nkey_file: k\nannounce: f\nmax_connections: 1\nmax_body: 2\nmax_inflated: 3\nmemory: 4\nstall: 1s\ndrain: 2s\norigins: [\"*\", https://a]\naccess_log: true\n",
			func(s *web.Settings) {
				*s = web.Settings{"0.0.0.0", 0, "k", "f", 1, 2, 3, 4, time.Second, 2 * time.Second, []string{"*", "https://a"}, true, 0, false}
			}, ""},
		{"other machines without a key", "host: 10.1.1.1", nil, "host: 10.1.1.1 is not loopback"},
		{"loopback by name", "host: localhost", func(s *web.Settings) { s.Host = "localhost" }, ""},
		{"IPv6 as in addresses", "host: '[::1]'", func(s *web.Settings) { s.Host = "[::1]" }, ""},
		{"an invalid origin", "origins: [a.example]", nil, "origins: is a.example, want * or https://HOST"},
		{"an invalid port", "port: 70000", nil, "port: is 70000, want 0 to 65535"},
		{"no time", "stall: 0s", nil, "stall: is 0s, want more than 0s"},
	} {
		got, want := web.Default(), web.Default()
		err := settings.New(&got).Load(settings.Sources{File: "f", Data: []byte(test.file)})
		if test.fault != "" {
			if !strings.Contains(fmt.Sprint(err), test.fault) {
				t.Errorf("%s: error %v, want %q", test.why, err, test.fault)
			}
			continue
		}
		if test.change(&want); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, error %v, want %+v", test.why, got, err, want)
		}
	}
}
