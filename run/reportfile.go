package run

import (
	"errors"
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/internal/strictjson"
)

// A ReportFile is the path of a file for a report as JSON; empty: none.
type ReportFile string

// Check makes sure that the file can be written, before the run begins.
func (f ReportFile) Check() error {
	if f == "" {
		return nil
	}
	file, err := os.OpenFile(string(f), os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return file.Close()
}

// Write writes a report.
func (f ReportFile) Write(r *Report) error {
	if f == "" {
		return nil
	}
	file, err := os.OpenFile(string(f), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o644) // in place: it may be a device
	if err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	if err := errors.Join(strictjson.WriteIndented(file, r), file.Close()); err != nil {
		return fmt.Errorf("--report: %w", err)
	}
	return nil
}
