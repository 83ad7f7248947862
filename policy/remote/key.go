package remote

import (
	"fmt"
	"os"
	"strings"
)

// ReadKey reads the key in a file: its text without the space around it. A file without one
// is an error.
func ReadKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	key := strings.TrimSpace(string(text))
	if err == nil && key == "" {
		err = fmt.Errorf("%s is empty", path)
	}
	return key, err
}
