package remote

import (
	"fmt"
	"os"
	"strings"
)

// ReadKey returns the key in a file, without the space around it. An empty file is an
// error.
func ReadKey(path string) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if key == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return key, nil
}
