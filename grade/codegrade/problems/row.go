package problems

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/strictjson"
	"github.com/quintain-rl/quintain/tasks/dataset"
)

// A row is the columns of a row, or an object within it. Values have the types of JSON, numbers
// are json.Number, and texts are UTF-8.
type row map[string]any

// idNames are the columns of a problem's name.
var idNames = []string{"query_id", "unique_id", "question_id", "problem_id", "task_id", "id"}

// id returns the name of the problem in row n.
func (r row) id(n int) (string, error) {
	for _, name := range idNames {
		if r[name] == nil {
			continue
		}
		id, err := r.text(name)
		if err != nil {
			return "", err
		}
		if id = strings.TrimSpace(id); id != "" {
			return id, nil
		}
	}
	return strconv.Itoa(n), nil
}

// text returns the text or the number in a column; empty if there is none.
func (r row) text(name string) (string, error) {
	switch v := r[name].(type) {
	case nil:
		return "", nil
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	}
	return "", fmt.Errorf("%s: is %s, want a text", name, kind(r[name]))
}

// need returns the first text that is not blank, of several columns.
func (r row) need(names ...string) (string, error) {
	for _, name := range names {
		text, err := r.text(name)
		if err != nil {
			return "", err
		}
		if strings.TrimSpace(text) != "" {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s: is missing: leave the row out", strings.Join(names, " or "))
}

// texts returns the texts in a column: a list, a list written as JSON, or one text.
func (r row) texts(name string) ([]string, error) {
	v := r[name]
	if text, ok := v.(string); ok {
		if strings.TrimSpace(text) == "" {
			return nil, nil
		}
		if !strings.HasPrefix(strings.TrimSpace(text), "[") {
			return []string{text}, nil
		}
	}
	list, err := listIn(name, v)
	if err != nil {
		return nil, err
	}
	var all []string
	for i, one := range list {
		text, ok := one.(string)
		if !ok {
			return nil, fmt.Errorf("%s[%d]: is %s, want a text", name, i, kind(one))
		}
		all = append(all, text)
	}
	return all, nil
}

// object returns the object in a column, or written there as JSON.
func (r row) object(name string) (row, error) {
	v, err := data(name, r[name])
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		return v, nil
	}
	return nil, fmt.Errorf("%s: is %s, want an object", name, kind(v))
}

// listIn returns v as a list, also one written as JSON; nil if there is none.
func listIn(name string, v any) ([]any, error) {
	v, err := data(name, v)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []any:
		return v, nil
	}
	return nil, fmt.Errorf("%s: is %s, want a list", name, kind(v))
}

// data returns v; of a text, the value that it is as JSON, or as a literal of Python; of a
// blank text, nil.
func data(name string, v any) (any, error) {
	text, ok := v.(string)
	if !ok {
		return v, nil
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	v, err := dataset.Value([]byte(text))
	if err == nil {
		return v, nil
	}
	if v, other := pythonLiteral(text); other == nil {
		return v, nil
	}
	return nil, fmt.Errorf("%s: is neither JSON nor a literal of Python: %w", name, err)
}

// compact returns v as JSON, its numbers as they were written.
func compact(v any) (string, error) {
	text, err := strictjson.Legible(v)
	return strings.TrimSuffix(string(text), "\n"), err
}

// kind names the type of a value of JSON.
func kind(v any) string {
	switch v := v.(type) {
	case dataset.Unread:
		return fmt.Sprintf("%s in the column %s of Parquet, which is not read", v.Type, v.Column)
	case nil:
		return "null"
	case bool:
		return "a truth value"
	case string:
		return "a text"
	case json.Number:
		return "a number"
	case []any:
		return "a list"
	}
	return "an object"
}

// plainFields gives the values of a Parquet row the types of JSON.
func plainFields(fields map[string]any) (row, error) {
	plain := row{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		var err error
		if plain[name], err = plain1(fields[name], 0); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return plain, nil
}

// deepest limits values within each other.
const deepest = 200

// plain1 gives a value of a Parquet row, which stands within depth others, the types of JSON.
func plain1(v any, depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("is nested deeper than %d", deepest)
	}
	switch v := v.(type) {
	case nil, bool, string, json.Number, dataset.Unread:
		return v, nil
	case float32:
		return number(float64(v)), nil
	case float64:
		return number(v), nil
	case []any:
		list := make([]any, len(v))
		for i, one := range v {
			var err error
			if list[i], err = plain1(one, depth+1); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for name, one := range v {
			var err error
			if object[name], err = plain1(one, depth+1); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return nil, fmt.Errorf("is of type %T, which is not read: write the file as JSON lines", v)
}

// number returns a finite float as Python prints it.
func number(x float64) json.Number {
	text := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return json.Number(text)
}
