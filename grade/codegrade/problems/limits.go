package problems

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/compiled"
)

const (
	timeFactor  = 5        // of a time limit made for compiled programs
	leastMemory = 64 << 20 // bytes: an interpreter takes some for itself
)

// limit sets the limits that a row has of its own.
func (s Settings) limit(r row, t *codegrade.Tests) error {
	seconds, err := quantity("time_limit", r["time_limit"], times)
	if err != nil {
		return err
	}
	bytes, err := quantity("memory_limit", r["memory_limit"], memories)
	if err != nil {
		return err
	}
	if seconds > 0 && t.Limits.CPU == 0 {
		factor := s.TimeFactor
		switch {
		case t.Language == "c" || t.Language == "cpp":
			factor = 1
		case factor == 0:
			factor = timeFactor
		}
		t.Limits.CPU = time.Duration(seconds * factor * float64(time.Second))
	}
	if bytes > 0 && t.Limits.Memory == 0 {
		t.Limits.Memory = max(leastMemory, int64(bytes))
	}
	return nil
}

// A scale reads quantities of a kind.
type scale struct {
	units map[string]float64 // by name; the empty one is that of a bare number
	most  float64            // the greatest quantity
	want  string
}

var times = scale{
	units: map[string]float64{
		"": 1, "s": 1, "sec": 1, "second": 1, "seconds": 1, "ms": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
	},
	most: 600, want: `seconds, more than 0 and at most 600, such as 2 or "2.0 seconds"`,
}

var memories = scale{
	units: map[string]float64{
		"": 1 << 20, "mb": 1 << 20, "mib": 1 << 20, "megabyte": 1 << 20, "megabytes": 1 << 20,
		"b": 1, "byte": 1, "bytes": 1, "kb": 1 << 10, "kib": 1 << 10, "kilobyte": 1 << 10, "kilobytes": 1 << 10,
		"gb": 1 << 30, "gib": 1 << 30, "gigabyte": 1 << 30, "gigabytes": 1 << 30,
	},
	most: 16 << 30, want: `megabytes, more than 0 and at most 16384, such as 256 or "256.0 megabytes"`,
}

var measure = compiled.Regexp(`^([0-9]+(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?) *([a-z]*)$`)

// quantity reads a number with a unit; 0: there is none.
func quantity(name string, v any, of scale) (float64, error) {
	var text string
	switch v := v.(type) {
	case nil:
		return 0, nil
	case string:
		text = strings.ToLower(strings.TrimSpace(v))
	case json.Number:
		text = strings.ToLower(v.String())
	default:
		return 0, fmt.Errorf("%s: is %s, want %s", name, kind(v), of.want)
	}
	if text == "" || text == "none" {
		return 0, nil
	}
	if parts := measure().FindStringSubmatch(text); parts != nil {
		x, err := strconv.ParseFloat(parts[1], 64)
		if x *= of.units[parts[2]]; err == nil && x > 0 && x <= of.most {
			return x, nil
		}
	}
	return 0, fmt.Errorf("%s: is %.40q, want %s", name, text, of.want)
}
