package problems

import (
	"fmt"
	"maps"
	"strings"

	"github.com/quintain-rl/quintain/grade/codegrade"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// readOwn reads a row in the form of a [Problem].
func readOwn(r row, p *Problem) ([]codegrade.Tests, error) {
	columns := maps.Clone(r)
	columns["id"] = p.ID
	for _, name := range []string{"tests", "solutions"} { // texts in CSV
		if v, err := data(name, r[name]); err != nil {
			return nil, err
		} else if columns[name] = v; v == nil {
			delete(columns, name)
		}
	}
	text, err := compact(map[string]any(columns))
	if err != nil {
		return nil, err
	}
	if err := strictjson.Unmarshal([]byte(text), p); err != nil {
		return nil, strictjson.Explain(err)
	}
	if len(p.Tests.Cases) == 0 && strings.TrimSpace(p.Tests.Asserts) == "" {
		return nil, fmt.Errorf("tests: %w", errNoTests)
	}
	return []codegrade.Tests{p.Tests}, nil
}
