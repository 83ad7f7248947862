package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/quintain-rl/quintain/internal/nearest"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// explain rewrites an error from decoding parameters so that it begins with the name of the
// setting, as errors of [Params] do. The names come from defaults.
func explain(err error, defaults json.RawMessage) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return fmt.Errorf("%s is a %s, want %s", wrong.Field, wrong.Value, strictjson.KindOf(wrong.Type))
	}
	quoted, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	name, unquoted := strconv.Unquote(quoted)
	var known map[string]json.RawMessage
	if !unknown || unquoted != nil || strictjson.Unmarshal(defaults, &known) != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(known))
	if near, found := nearest.Name(name, names); found {
		return fmt.Errorf("%s is no setting of this task; did you mean %q?", name, near)
	}
	return fmt.Errorf("%s is no setting of this task, want %s", name, strings.Join(names, ", "))
}
