package doctor_test

import (
	"context"
	"fmt"
	"os"

	"github.com/quintain-rl/quintain/internal/doctor"
)

// The data folder need not exist.
func Example() {
	found := doctor.Examine(context.Background(), doctor.Settings{Data: os.TempDir() + "/quintain-data", Ports: []string{"0"}})
	fmt.Println("failures:", doctor.Failed(found))
	last := found[len(found)-1]
	fmt.Println(last.Level, last.Check, last.Found)
	// Output:
	// failures: 0
	// ok port 127.0.0.1:0 is free
}
