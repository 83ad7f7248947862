package hub

import (
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// A bound is the document's limit of a value.
type bound struct {
	Ref              string `json:"$ref"`
	Minimum, Maximum json.Number
	MaxLength        int
	Pattern          string
	Properties       map[string]bound
}

// bounds are the document's bounds.
type bounds struct {
	Components struct {
		Schemas    map[string]bound
		Parameters map[string]struct{ Schema bound }
	}
}

func readBounds(t *testing.T) (b bounds) {
	t.Helper()
	if err := json.Unmarshal(openAPIText, &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// A value is one at a limit or beyond it.
type value struct {
	json any
	fits bool
}

// edges are the values at the limits and beyond.
func (doc bounds) edges(b bound) (list []value) {
	if b.Ref != "" {
		b = doc.Components.Schemas[strings.TrimPrefix(b.Ref, "#/components/schemas/")]
	}
	for _, limit := range []struct {
		at     json.Number
		beyond int64
	}{{b.Minimum, -1}, {b.Maximum, 1}} {
		if n, ok := new(big.Int).SetString(limit.at.String(), 10); ok {
			list = append(list, value{limit.at, true}, value{json.Number(n.Add(n, big.NewInt(limit.beyond)).String()), false})
		}
	}
	if b.MaxLength > 0 {
		list = append(list, value{strings.Repeat("x", b.MaxLength), true}, value{strings.Repeat("x", b.MaxLength+1), false})
	}
	return list
}

// TestOpenAPILimits sends the least and greatest values of the document, which the hub
// takes, and values beyond, which it refuses.
func TestOpenAPILimits(t *testing.T) {
	doc := readBounds(t)
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.env(1, "null")
	for _, test := range []struct{ schema, path, body string }{
		{"Registration", "/register", fmt.Sprintf(registerBody, 1, 0)},
		{"EnvRegistration", "/register-env", `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":1,"min_batch_allocation":null}`},
		{"GroupIn", "/scored_data", `{"tokens":[[1]],"masks":[[1]],"scores":[1],"id":""}`},
	} {
		var members map[string]any
		if err := json.Unmarshal([]byte(test.body), &members); err != nil {
			t.Fatal(err)
		}
		for name, was := range members {
			edges := doc.edges(doc.Components.Schemas[test.schema].Properties[name])
			if _, list := was.([]any); !list && len(edges) == 0 {
				t.Errorf("the document has no limit of %s of %s", name, test.schema)
			}
			for _, v := range edges {
				members[name] = v.json
				body, err := json.Marshal(members)
				if err != nil {
					t.Fatal(err)
				}
				if w := f.do("POST", test.path, string(body)); w.Code != map[bool]int{true: 200, false: 422}[v.fits] {
					t.Errorf("%s of %s is %.40v: %d %s; the document allows it: %v", name, test.schema, v.json, w.Code, w.Body, v.fits)
				}
			}
			members[name] = was
		}
	}
	for _, name := range []string{"after", "limit"} {
		for _, v := range doc.edges(doc.Components.Parameters[name].Schema) {
			if w := f.do("GET", fmt.Sprintf("%s/groups?%s=%s", mainPath, name, v.json), ""); w.Code != map[bool]int{true: 200, false: 422}[v.fits] {
				t.Errorf("%s is %v: %d %s; the document allows it: %v", name, v.json, w.Code, w.Body, v.fits)
			}
		}
	}
}

// TestOpenAPIForms sends parameters that match the document's patterns, which the hub takes,
// and others, which it refuses.
func TestOpenAPIForms(t *testing.T) {
	doc := readBounds(t)
	f := newFixture(t, nil, Config{})
	f.begin(1)
	for _, test := range []struct {
		name, value string
		form, taken bool // form: matches; a time that matches may still be too long
	}{
		{"lease", "", true, true},
		{"lease", "90", true, true},
		{"lease", "1.5", true, true},
		{"lease", "90s", true, true},
		{"lease", "1h30m", true, true},
		{"lease", "168h", true, true},
		{"lease", "169h", true, false},
		{"lease", "0", true, false},
		{"lease", "-1", false, false},
		{"lease", "1 h", false, false},
		{"lease", "h", false, false},
		{"lease", "week", false, false},
		{"wait", "", true, true},
		{"wait", "0", true, true},
		{"wait", "1ms", true, true},
		{"wait", "0.001", true, true},
		{"wait", "-1s", false, false},
		{"wait", "soon", false, false},
		{"trainer", "", true, true},
		{"trainer", "a.B-c_9", true, true},
		{"trainer", strings.Repeat("a", 40), true, true},
		{"trainer", strings.Repeat("a", 41), false, false},
		{"trainer", "a b", false, false},
	} {
		pattern := doc.Components.Parameters[test.name].Schema.Pattern
		if pattern == "" || regexp.MustCompile(pattern).MatchString(test.value) != test.form {
			t.Errorf("%s is %q: want that the pattern %s matches it: %v", test.name, test.value, pattern, test.form)
		}
		want := map[bool]int{true: http.StatusNoContent, false: http.StatusUnprocessableEntity}[test.taken]
		if w := f.do("POST", mainPath+"/batches?"+test.name+"="+url.QueryEscape(test.value), ""); w.Code != want {
			t.Errorf("%s is %q: %d %s, want %d", test.name, test.value, w.Code, w.Body, want)
		}
	}
}
