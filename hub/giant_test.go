package hub

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const envBody = `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":4}`

// TestGiantRegistrations refuses useless numbers.
func TestGiantRegistrations(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(4)
	for _, test := range []struct{ why, path, body, reply string }{
		{"a batch", "/register", fmt.Sprintf(registerBody, 1<<31-1, 0), `"loc":["body","batch_size"],"msg":"Input should be at most 65536","input":2147483647`},
		{"a group", "/register-env", strings.Replace(envBody, "4", "2147483647", 1), `"loc":["body","group_size"],"msg":"Input should be at most 65536"`},
		{"a weight", "/register-env", strings.Replace(envBody, `"weight":1`, `"weight":1e308`, 1), `"loc":["body","weight"]`},
		{"a share", "/register-env", strings.Replace(envBody, "{", `{"min_batch_allocation":-1e308,`, 1), `"loc":["body","min_batch_allocation"],"msg":"Input should be between 0 and 1","input":-1e+308`},
		{"a body", "/register-env", strings.Replace(envBody, `"e"`, `"`+strings.Repeat("e", 2<<20)+`"`, 1), `the body has more than 1048576 bytes`},
	} {
		w := f.do("POST", test.path, test.body)
		if w.Code != 422 && w.Code != 413 || !strings.Contains(w.Body.String(), test.reply) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s: %d %s, want %s", test.why, w.Code, w.Body, test.reply)
		}
	}
	f.want("GET", "/info", "", `{"batch_size":4,"max_token_len":64}`)
}
