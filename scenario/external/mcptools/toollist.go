package mcptools

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/quintain-rl/quintain/internal/compiled"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// Limits of a list of tools.
const (
	mostTools = 1000
	mostName  = 128     // bytes
	mostText  = 1 << 20 // bytes of descriptions and schemas together
	mostDepth = 100     // of a schema
)

// checkTools checks a list of tools, and gives those without a schema one.
func checkTools(all []Tool) error {
	total, names := 0, map[string]bool{}
	for i := range all {
		t := &all[i]
		if len(t.Input) == 0 {
			t.Input = []byte(`{"type":"object","properties":{}}`)
		}
		total += len(t.Description) + len(t.Input)
		if t.Name == "" || len(t.Name) > mostName || names[t.Name] {
			return fmt.Errorf("a tool is called %.140q, want names of 1 to %d bytes, each once", t.Name, mostName)
		}
		names[t.Name] = true
		if err := checkSchema(t.Input); err != nil {
			return fmt.Errorf("tool %s: its schema %w", t.Name, err)
		}
	}
	switch {
	case len(all) == 0:
		return errors.New("it has no tools")
	case len(all) > mostTools:
		return fmt.Errorf("it has %d tools, at most %d are allowed", len(all), mostTools)
	case total > mostText:
		return fmt.Errorf("descriptions and schemas of its tools have %d bytes, at most %d are allowed", total, mostText)
	}
	return nil
}

// checkSchema refuses a schema that is no object or refers to another document.
func checkSchema(schema []byte) error {
	if fault := strictjson.Check(schema, mostDepth); fault != nil {
		return fmt.Errorf("cannot be read: %w", fault)
	}
	var object map[string]any
	if err := strictjson.Unmarshal(schema, &object); err != nil || object == nil {
		return errors.New("is no object")
	}
	if ref := remote(object); ref != "" {
		return fmt.Errorf("refers to another document, %.100q", ref)
	}
	return nil
}

// remote returns a reference to another document; empty: there is none.
func remote(v any) (ref string) {
	switch v := v.(type) {
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok && !strings.HasPrefix(ref, "#") {
			return ref
		}
		for _, one := range v {
			ref = cmp.Or(ref, remote(one))
		}
	case []any:
		for _, one := range v {
			ref = cmp.Or(ref, remote(one))
		}
	}
	return ref
}

// digest returns the hash of a list of tools, in whichever order.
func digest(all []Tool) string {
	all = slices.Clone(all)
	slices.SortFunc(all, func(a, b Tool) int { return cmp.Compare(a.Name, b.Name) })
	text, err := strictjson.Canonical(all)
	if err != nil {
		panic("mcptools: " + err.Error()) // checked JSON
	}
	return fmt.Sprintf("%.8x", sha256.Sum256(text))
}

// foreign are the characters that a tool's name must not have in OpenAI's interfaces.
var foreign = compiled.Regexp(`[^a-zA-Z0-9_-]`)

// named returns the names of tools for the model, by box and tool: a name that is in several lists gets that
// of the box before it.
func named(boxes []string, lists [][]Tool) ([][]string, error) {
	count := map[string]int{}
	names := make([][]string, len(lists))
	for i, list := range lists {
		for _, t := range list {
			name := foreign().ReplaceAllString(t.Name, "_")
			names[i] = append(names[i], name)
			count[name]++
		}
	}
	seen := map[string]bool{}
	for i := range names {
		for j, name := range names[i] {
			if count[name] > 1 {
				name = boxes[i] + "__" + name
			}
			if seen[name] {
				return nil, fmt.Errorf("two tools are called %s", name)
			}
			seen[name], names[i][j] = true, name
		}
	}
	return names, nil
}
