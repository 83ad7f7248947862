package remote

import (
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/internal/jsonl"
)

// ReadKey returns the key in a file, without the space around it. An empty file is an
// error.
func ReadKey(path string) (string, error) {
	text, err := jsonl.ReadText(path, 1<<20)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if key == "" {
		return "", fmt.Errorf("%s is empty", path)
	}
	return key, nil
}
