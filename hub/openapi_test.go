package hub

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/quintain-rl/quintain/internal/web"
)

// A document is the tested parts of an OpenAPI document.
type document struct {
	OpenAPI string
	Paths   map[string]map[string]struct {
		Summary    string
		Parameters []map[string]any
		Responses  map[string]map[string]any
		Security   []map[string][]string
	}
	Components struct {
		Schemas, Parameters, Responses, Headers map[string]any
	}
}

// TestOpenAPI compares the document with the routes, their methods, keys and replies, and
// resolves its references.
func TestOpenAPI(t *testing.T) {
	f := newFixture(t, nil, Config{})
	w := f.do("GET", "/v1/openapi.json", "")
	var doc document
	if err := json.Unmarshal(w.Body.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.1") {
		t.Errorf("version %q, want 3.1", doc.OpenAPI)
	}
	want := map[string]bool{}
	for _, r := range f.server.routes() {
		name := r.Method + " " + r.Path
		want[name] = true
		op, has := doc.Paths[r.Path][strings.ToLower(r.Method)]
		switch {
		case !has:
			t.Errorf("%s is not in the document", name)
		case op.Summary == "" || len(op.Responses) == 0:
			t.Errorf("%s says nothing of itself or of its replies", name)
		case (op.Security != nil && len(op.Security) == 0) != (r.For == web.Anyone):
			t.Errorf("%s: asks for a key: %v", name, r.For != web.Anyone)
		}
	}
	for path, methods := range doc.Paths {
		for method := range methods {
			if !want[strings.ToUpper(method)+" "+path] {
				t.Errorf("%s %s is in the document, and no route", method, path)
			}
		}
	}
	for _, ref := range references(w.Body.String()) {
		parts := strings.Split(strings.TrimPrefix(ref, "#/components/"), "/")
		kinds := map[string]map[string]any{"schemas": doc.Components.Schemas, "parameters": doc.Components.Parameters, "responses": doc.Components.Responses, "headers": doc.Components.Headers}
		if len(parts) != 2 || kinds[parts[0]][parts[1]] == nil {
			t.Errorf("%s is not there", ref)
		}
	}
}

// references lists the references in a document.
func references(text string) []string {
	found := map[string]bool{}
	for _, part := range strings.Split(text, `"$ref":`)[1:] {
		ref, _, _ := strings.Cut(strings.TrimLeft(part, ` "`), `"`)
		found[ref] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// TestOpenAPIReplies compares the members of replies with the document.
func TestOpenAPIReplies(t *testing.T) {
	f := newFixture(t, nil, Config{})
	f.begin(1)
	f.env(1, "null")
	f.put(group(1, 1, 0))
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any
				Required   []string
			}
		}
	}
	if err := json.Unmarshal(openAPIText, &doc); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ method, path, body, schema string }{
		{"GET", "/info", "", "Info"},
		{"GET", "/wandb_info", "", "Names"},
		{"GET", "/status", "", "Status"},
		{"GET", "/status-env", `{"env_id":0}`, "EnvStatus"},
		{"GET", "/latest_example", "", "Group"},
		{"POST", "/register", fmt.Sprintf(registerBody, 1, 0), "Registered"},
		{"POST", "/register-env", `{"max_token_length":1,"desired_name":"e","weight":1,"group_size":1}`, "EnvRegistered"},
		{"POST", mainPath + "/groups", "[" + group(2, 1, 0) + "]", "Posted"},
		{"GET", mainPath + "/stats", "", "Stats"},
	} {
		w := f.do(test.method, test.path, test.body)
		var members map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &members); err != nil || w.Code != 200 {
			t.Errorf("%s: %d %s", test.path, w.Code, w.Body)
			continue
		}
		schema := doc.Components.Schemas[test.schema]
		for name := range members {
			if schema.Properties[name] == nil {
				t.Errorf("%s: the schema %s has no %s", test.path, test.schema, name)
			}
		}
		for _, name := range schema.Required {
			if _, has := members[name]; !has {
				t.Errorf("%s: no %s, which the schema %s requires", test.path, name, test.schema)
			}
		}
	}
}
