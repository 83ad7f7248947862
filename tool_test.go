package quintain_test

import (
	"strings"
	"testing"

	"github.com/quintain-rl/quintain"
)

func TestToolsAreWrittenAsTemplatesTakeThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why   string
		tools []quintain.Tool
		want  string // part of the JSON or, after a !, of the error
	}{
		{"no tools", nil, ""},
		{
			"two, one without arguments",
			[]quintain.Tool{{Name: "now", Doc: "Tell the <time>."}, {Name: "add", Params: []byte(`{"type": "object"}`)}},
			`[{"type":"function","function":{"name":"now","description":"Tell the <time>.","parameters":{"type":"object","properties":{}}}},` +
				`{"type":"function","function":{"name":"add","description":"","parameters":{"type":"object"}}}]`,
		},
		{"parameters that are a list", []quintain.Tool{{Name: "add", Params: []byte(`[]`)}}, `!tool "add"`},
		{"parameters that are no JSON", []quintain.Tool{{Name: "add", Params: []byte(`{`)}}, `!tool "add"`},
		{"parameters that are null", []quintain.Tool{{Name: "add", Params: []byte(`null`)}}, `!tool "add"`},
	} {
		got, err := quintain.ToolsJSON(test.tools)
		says, refused := strings.CutPrefix(test.want, "!")
		if refused && (err == nil || !strings.Contains(err.Error(), says)) || !refused && (err != nil || string(got) != test.want) {
			t.Errorf("%s: %s, %v, want %s", test.why, got, err, test.want)
		}
	}
}
