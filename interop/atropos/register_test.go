package atropos

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

const trainer = `{"wandb_group":"g","wandb_project":"p","batch_size":"8","max_token_len":64.0,` +
	`"checkpoint_dir":"c","save_checkpoint_interval":true,"starting_step":3,"num_steps":-1,"more":[{}]}`

const environment = `{"max_token_length":9,"desired_name":"é","weight":"0.5","group_size":4}`

func TestRegistrations(t *testing.T) {
	swap := strings.NewReplacer
	for _, test := range []struct{ why, in, want string }{
		{"a trainer, leniently", trainer, "{g p 8  0 64 c 1 3 -1}"},
		{"batches counted in episodes", swap(`"g"`, `"g","batch_unit":"episodes","max_batch_size":9`).Replace(trainer), "{g p 8 episodes 9 64 c 1 3 -1}"},
		{"batches counted in something else", swap(`"g"`, `"g","batch_unit":"tokens"`).Replace(trainer), "value_error [batch_unit]"},
		{"a name that is not a string", swap(`"g"`, "1").Replace(trainer), "string_type [wandb_group]"},
		{"a name that is null", swap(`"c"`, "null").Replace(trainer), "string_type [checkpoint_dir]"},
		{"an empty batch", swap(`"8"`, "0").Replace(trainer), "less_than_equal [batch_size]"},
		{"a missing field", swap(`"num_steps"`, `"x"`).Replace(trainer), "missing [num_steps]"},
		{"a name without end", swap(`"g"`, `"`+strings.Repeat("g", 5000)+`"`).Replace(trainer), "value_error [wandb_group]"},
		{"not an object", `5`, "dict_type []"},
		{"not JSON", `{`, "json_invalid [1]"},
	} {
		r, err := DecodeRegistration([]byte(test.in))
		if got := outcome(r, err); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
	for _, test := range []struct{ why, in, want string }{
		{"an environment", environment, "9 é 0.5 4 none"},
		{"an environment with a minimum", swap(`"weight"`, `"min_batch_allocation":0.25,"weight"`).Replace(environment), "9 é 0.5 4 0.25"},
		{"a minimum that is null", swap(`"weight"`, `"min_batch_allocation":null,"weight"`).Replace(environment), "9 é 0.5 4 none"},
		{"an environment without a name", swap(`"é"`, "null").Replace(environment), "string_type [desired_name]"},
		{"a weight that is not a number", swap(`"0.5"`, `"x"`).Replace(environment), "float_parsing [weight]"},
		{"a weight that is not finite", swap(`"0.5"`, `NaN`).Replace(environment), "finite_number [weight]"},
		{"a weight with which sums overflow", swap(`"0.5"`, `1e308`).Replace(environment), "less_than_equal [weight]"},
		{"a negative one", swap(`"0.5"`, `-1e10`).Replace(environment), "less_than_equal [weight]"},
		{"a minimum below none", swap(`"weight"`, `"min_batch_allocation":-0.1,"weight"`).Replace(environment), "less_than_equal [min_batch_allocation]"},
		{"a minimum above all", swap(`"weight"`, `"min_batch_allocation":1.5,"weight"`).Replace(environment), "less_than_equal [min_batch_allocation]"},
		{"all", swap(`"weight"`, `"min_batch_allocation":1,"weight"`).Replace(environment), "9 é 0.5 4 1"},
		{"an empty group", swap(`4}`, `0}`).Replace(environment), "less_than_equal [group_size]"},
		{"a minimum that is not a number", swap(`"weight"`, `"min_batch_allocation":{},"weight"`).Replace(environment), "float_type [min_batch_allocation]"},
	} {
		r, err := DecodeEnvRegistration([]byte(test.in))
		minimum := any("none")
		if r.MinBatchAllocation != nil {
			minimum = *r.MinBatchAllocation
		}
		if got := outcome(fmt.Sprint(r.MaxTokenLength, r.DesiredName, r.Weight, r.GroupSize, minimum), err); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(test.want, " ", "") {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
	for _, test := range []struct{ why, in, want string }{
		{"an id", `{"env_id":3}`, "3"},
		{"a negative id", `{"env_id":-1}`, "-1"},
		{"no id", `{}`, "missing [env_id]"},
		{"null", `{"env_id":null}`, "int_type [env_id]"},
		{"an empty body", ``, "missing []"},
	} {
		id, err := DecodeEnvID([]byte(test.in))
		if got := outcome(id, err); got != test.want {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

func TestVersionReports(t *testing.T) {
	several := func(n int) string {
		text := `{"version":1,"servers":{`
		for i := range n {
			text += fmt.Sprintf(`"http://engine-%d:1":1,`, i)
		}
		return strings.TrimSuffix(text, ",") + "}}"
	}
	for _, test := range []struct{ why, in, want string }{
		{"a version alone", `{"version":3}`, "{3 map[]} false"},
		{"servers that are null", `{"servers":null,"version":3}`, "{3 map[]} false"},
		{"no server any more", `{"version":3,"servers":{}}`, "{3 map[]} true"},
		{"servers", `{"version":3,"servers":{"http://b:1/v1":2,"https://a":"4"}}`, "{3 map[http://b:1/v1:2 https://a:4]} true"},
		{"as many as may be", several(4096), "true"},
		{"too many", several(4097), "value_error [servers http://engine-4096:1]"},
		{"a version below 0", `{"version":3,"servers":{"http://b":-1}}`, "less_than_equal [servers http://b]"},
		{"a version above 32 bits", `{"version":3,"servers":{"http://b":2147483648}}`, "less_than_equal [servers http://b]"},
		{"no version of the run", `{"servers":{"http://b":1}}`, "missing [version]"},
		{"a list", `{"version":3,"servers":[2]}`, "dict_type [servers]"},
		{"a host alone", `{"version":3,"servers":{"b:8001":2}}`, "value_error [servers b:8001]"},
		{"an address with a password", `{"version":3,"servers":{"http://me:secret@b":2}}`, "value_error [servers http://me:secret@b]"},
		{"an endless address", `{"version":3,"servers":{"http://` + strings.Repeat("b", 5000) + `":2}}`, "value_error"},
	} {
		r, err := DecodeVersion([]byte(test.in))
		if got := outcome(fmt.Sprint(r, " ", r.Servers != nil), err); !strings.HasSuffix(got, test.want) && !strings.HasPrefix(got, test.want+" [") {
			t.Errorf("%s: %s, want %s", test.why, got, test.want)
		}
	}
}

// outcome prints the value or the error.
func outcome(v any, err error) string {
	var f *Error
	if errors.As(err, &f) {
		return fmt.Sprint(f.Type, " ", f.Loc)
	}
	return fmt.Sprint(v)
}
