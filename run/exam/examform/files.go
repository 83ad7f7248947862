package examform

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/quintain-rl/quintain/run/exam"
)

// Named returns the form with a name. The error lists the names.
func Named(name string) (Form, error) {
	forms := Forms()
	i := slices.IndexFunc(forms, func(f Form) bool { return f.Name == name })
	if i < 0 {
		return Form{}, fmt.Errorf("format is %q, want %s", name, Names())
	}
	return forms[i], nil
}

// WriteFiles hands a report to write in every form that has a file.
func WriteFiles(r *exam.Report, write func(name string, text []byte) error) error {
	for _, form := range Forms() {
		if form.File == "" {
			continue
		}
		var b bytes.Buffer
		if err := form.Write(&b, r); err != nil {
			return err
		}
		if err := write(form.File, b.Bytes()); err != nil {
			return err
		}
	}
	return nil
}
