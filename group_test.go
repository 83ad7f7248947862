package quintain_test

import (
	"encoding/json"
	"testing"

	"github.com/quintain-rl/quintain"
)

// The problem of a group is whole in JSON, also at level 0, and a group from outside has none.
func TestOriginAsJSON(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		of   quintain.Origin
		want string
	}{
		{quintain.Origin{}, `{}`},
		{quintain.Origin{Scenario: "single_turn", Task: "gcd", Version: 1, Seed: 1 << 60}, `{"scenario":"single_turn","task":"gcd","version":1,"seed":"1152921504606846976","level":0,"index":0}`},
	} {
		var back quintain.Origin
		got, err := json.Marshal(test.of)
		if err != nil || string(got) != test.want || json.Unmarshal(got, &back) != nil || back != test.of {
			t.Errorf("%+v: %s, error %v, read back as %+v; want %s", test.of, got, err, back, test.want)
		}
	}
}
