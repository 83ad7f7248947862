package main

import (
	"encoding/json"
	"io"

	"github.com/quintain-rl/quintain/internal/jsonform"
)

// printLine prints v as a line of JSON.
func printLine(out io.Writer, v any) error {
	text, err := jsonform.Marshal(v)
	if err != nil {
		return err
	}
	_, err = out.Write(append(text, '\n'))
	return err
}

// printJSON prints v as indented JSON.
func printJSON(out io.Writer, v any) error {
	enc := json.NewEncoder(out)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
