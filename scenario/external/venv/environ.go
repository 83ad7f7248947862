package venv

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// harmless are the variables that a program needs, and that hold no secrets.
const harmless = " PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR TEMP TMP SYSTEMROOT SYSTEMDRIVE COMSPEC PATHEXT WINDIR USERPROFILE APPDATA LOCALAPPDATA " +
	"LD_LIBRARY_PATH SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy " +
	"XDG_CACHE_HOME XDG_DATA_HOME HF_HOME HF_HUB_OFFLINE NLTK_DATA OMP_NUM_THREADS CUDA_VISIBLE_DEVICES UV_CACHE_DIR UV_OFFLINE UV_PYTHON UV_INDEX_URL UV_DEFAULT_INDEX UV_FIND_LINKS DOCKER_HOST "

// Environ returns the variables for an environment of others: those that are [Harmless], and the named ones, which must be set.
func Environ(keys []string) ([]string, error) {
	_, err := Keys(keys)
	return append(Harmless(keys), "PYTHONHASHSEED=0", "PYTHONNOUSERSITE=1"), err
}

// Harmless returns the variables of this process that a program needs, and those of the names that are set. Addresses with a
// password are left out, unless they are named.
func Harmless(names []string) (all []string) {
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		plain := strings.HasPrefix(name, "LC_") || strings.Contains(harmless, " "+name+" ")
		secret := strings.Contains(value, "://") && strings.Contains(value, "@")
		if plain && !secret || slices.Contains(names, name) {
			all = append(all, entry)
		}
	}
	return all
}

// Keys returns the named variables of this process.
func Keys(names []string) (all []string, err error) {
	for _, name := range names {
		value, has := os.LookupEnv(name)
		if !has {
			return nil, fmt.Errorf("keys: the variable %s is not set here: set it, or leave it out of environment.keys", name)
		}
		all = append(all, name+"="+value)
	}
	return all, nil
}
