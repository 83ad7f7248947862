package main

import "runtime/debug"

// versionOf is the version of the release if the linker set one, else that of the module, or the commit if the
// program was built from a repository.
func versionOf(release string) string {
	if release != "none" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel-" + s.Value[:12]
		}
	}
	return "devel (the commit is unknown: it was built with -buildvcs=false, or without git)"
}
