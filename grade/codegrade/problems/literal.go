package problems

import (
	"errors"

	"github.com/quintain-rl/quintain/text/pyvalue"
)

// pythonLiteral reads what repr of Python prints for plain values, and gives them the types of
// JSON: map[string]any, []any (also of a tuple), string, json.Number, bool and nil.
func pythonLiteral(text string) (any, error) {
	v, err := pyvalue.ReadLiteral(text)
	if err != nil {
		return nil, err
	}
	return plain(v)
}

// plain returns a literal in the types of JSON.
func plain(v pyvalue.Value) (_ any, err error) {
	switch v := v.(type) {
	case *pyvalue.List:
		list := make([]any, len(v.Items))
		for i, item := range v.Items {
			if list[i], err = plain(item); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *pyvalue.Dict:
		object := map[string]any{}
		for key, item := range v.All() {
			if object[key.(string)], err = plain(item); err != nil {
				return nil, err
			}
		}
		return object, nil
	case pyvalue.Set:
		return nil, errors.New("a set is no plain value")
	}
	return v, nil
}
