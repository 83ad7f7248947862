package strictjson_test

import (
	"errors"
	"testing"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A Draw is embedded, so its name must not appear.
type Draw struct {
	Level int    `json:"level"`
	Seed  uint64 `json:"seed,string"`
}

func TestExplain(t *testing.T) {
	for _, test := range []struct{ why, text, want string }{
		{"a text for a number, in an embedded struct", `{"level":"x"}`, "level: is a text, want a whole number"},
		{"a fraction for a whole number", `{"level":1.5}`, "level: is 1.5, want a whole number"},
		{"a number that belongs in quotes", `{"seed":7}`, "seed: is 7, want a whole number in quotes"},
		{"a text that is no number", `{"seed":"x"}`, `seed: is "x", want a whole number in quotes`},
		{"a deeper member", `{"of":{"names":[1]}}`, "of.names: is a number, want a text"},
		{"a list for the whole", `[1]`, "is a list, want an object"},
		{"an unknown member", `{"levl":1}`, `unknown field "levl"`},
		{"no JSON", `{"level":}`, "'}' stands where it may not in JSON"},
	} {
		t.Run(test.why, func(t *testing.T) {
			var into struct {
				Draw
				Of struct {
					Names []string `json:"names"`
				} `json:"of"`
			}
			if got := strictjson.Explain(strictjson.UnmarshalKnown([]byte(test.text), &into)); got == nil || got.Error() != test.want {
				t.Errorf("%v, want %s", got, test.want)
			}
		})
	}
	other := errors.New("the disk is full")
	if strictjson.Explain(nil) != nil || strictjson.Explain(other) != other {
		t.Error("an error of another kind has changed")
	}
}
