package environment

import (
	"fmt"

	"github.com/quintain-rl/quintain/internal/settings"
)

// Read returns the settings of a YAML file, if path is not empty, and of flags, as Load.
func Read(path string, flags map[string]settings.Given) (*Settings, error) {
	from := settings.Sources{Flags: flags}
	if err := from.ReadFile(path); err != nil {
		return nil, fmt.Errorf("--config: %w", err)
	}
	s := Default()
	if err := s.Load(from); err != nil {
		return nil, err
	}
	return s, nil
}
