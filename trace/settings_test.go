package trace

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/settings"
)

func TestSettings(t *testing.T) {
	for _, test := range []struct {
		why, file, want string
	}{
		{"the defaults", "", ""},
		{"another limit", "max_bytes: 4096000\nsegment_bytes: 2048000", ""},
		{"off", "on: false", ""},
		{"room for one segment only", "max_bytes: 100000000", "max_bytes: is 100000000, want at least twice segment_bytes, which is 67108864"},
		{"a segment that is too small", "segment_bytes: 1000", "segment_bytes"},
		{"or too large", "segment_bytes: 2000000000", "segment_bytes"},
	} {
		s := Default()
		err := settings.New(&s).Load(settings.Sources{File: "f.yaml", Data: []byte(test.file)})
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: error %v, want %q", test.why, err, test.want)
		}
	}
}
