package host

import (
	"strings"
	"testing"
)

func TestRepairWithoutServer(t *testing.T) {
	for _, c := range []struct {
		why  string
		r    Repair
		want string
	}{
		{"no server is named", Repair{Run: "default"}, "--nats-url"},
		{"no server is there", Repair{NATSURL: "nats://127.0.0.1:1", Run: "default"}, "the store does not work"},
		{"the name is none", Repair{NATSURL: "nats://127.0.0.1:1", Run: "a.b"}, "quintain-a.b"},
	} {
		var out strings.Builder
		if err := c.r.Do(t.Context(), &out); err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 {
			t.Errorf("%s: %q, error %v, want one with %q", c.why, out.String(), err, c.want)
		}
	}
}
