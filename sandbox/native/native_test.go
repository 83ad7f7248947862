package native

import (
	"testing"

	"github.com/quintain-rl/quintain/sandbox"
	"github.com/quintain-rl/quintain/sandbox/sandboxtest"
)

func TestSandbox(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T, dir string) sandbox.Sandbox { return open(t, dir) })
}

// open makes a box whose jobs are below a folder.
func open(t *testing.T, dir string) *Box {
	t.Helper()
	return openWith(t, Config{Dir: dir})
}

// openWith makes a box that the test closes.
func openWith(t *testing.T, config Config) *Box {
	t.Helper()
	b, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}
