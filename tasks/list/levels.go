package list

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain"
	"github.com/quintain-rl/quintain/internal/strictjson"
)

// LevelSettings returns the parameters of a task's levels as "name value", in order. shared
// has those with one value at all levels; levels has the others, for each level. With a
// single level, nothing is shared.
func LevelSettings(info quintain.Info) (shared []string, levels [][]string, err error) {
	levels = make([][]string, len(info.Levels))
	for i, params := range info.Levels {
		if levels[i], err = namesAndValues(params); err != nil {
			return nil, nil, err
		}
	}
	if len(levels) < 2 {
		return nil, levels, nil
	}
	for _, one := range levels[0] {
		if !slices.ContainsFunc(levels, func(level []string) bool { return !slices.Contains(level, one) }) {
			shared = append(shared, one)
		}
	}
	for i := range levels {
		levels[i] = slices.DeleteFunc(levels[i], func(one string) bool { return slices.Contains(shared, one) })
	}
	return shared, levels, nil
}

// namesAndValues lists the members of an object as "name value", in order.
func namesAndValues(params json.RawMessage) (list []string, err error) {
	plain := strictjson.Members(params, func(name, value []byte) bool {
		list = append(list, fmt.Sprintf("%s %s", name, value))
		return true
	})
	if !plain {
		return nil, errors.New("the parameters are no object of plain names")
	}
	return list, nil
}
