//go:build nowasm

package wasm

import "errors"

// missing is why there is no such sandbox.
func missing() error {
	return errors.New("the sandbox wasm is not in this program: it was built with the tag nowasm")
}

// Child is never called: nothing starts a child.
func Child() int { return 1 }
