package logging_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/quintain-rl/quintain/settings/logging"
)

func Example() {
	s := logging.Default()
	s.Level = "warn"
	var out bytes.Buffer
	log := s.Logger(&out)
	log.Info("a group is kept")
	log.Warn("the server is busy")
	_, message, _ := strings.Cut(out.String(), " ")
	fmt.Print(message)
	// Output: level=WARN msg="the server is busy"
}
