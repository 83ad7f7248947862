package flags

import (
	"bytes"
	"fmt"
	"strings"
)

func ExampleLogSettings() {
	s := DefaultLog()
	s.Level = "warn"
	var out bytes.Buffer
	log := s.Logger(&out)
	log.Info("a group is kept")
	log.Warn("the server is busy")
	_, message, _ := strings.Cut(out.String(), " ")
	fmt.Print(message)
	// Output: level=WARN msg="the server is busy"
}
