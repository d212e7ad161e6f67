package service

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// StoreURL says where records are kept: sqlite:FILE (or sqlite:///FILE) or mongodb://HOST.
type StoreURL string

func (s *StoreURL) String() string { return string(*s) }
func (s *StoreURL) Type() string   { return "URL" }

// Set takes a URL of a known scheme. Its errors do not show the URL, which may hold a password.
func (s *StoreURL) Set(text string) error {
	u := StoreURL(text)
	if _, ok := u.file(); !ok && !u.mongo() {
		return fmt.Errorf("a store is sqlite:FILE or mongodb://HOST")
	}
	*s = u
	return nil
}

func (s StoreURL) mongo() bool {
	return strings.HasPrefix(string(s), "mongodb://") || strings.HasPrefix(string(s), "mongodb+srv://")
}

// file answers the path of an SQLite store.
func (s StoreURL) file() (path string, ok bool) {
	path, ok = strings.CutPrefix(string(s), "sqlite:")
	path = strings.TrimPrefix(path, "//")
	return path, ok && path != ""
}

// choice is one of a few words.
type choice struct {
	value *string
	words []string
}

func (c *choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

func (c *choice) Type() string { return strings.Join(c.words, "|") }

func (c *choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return fmt.Errorf("%q is not one of %s", text, strings.Join(c.words, ", "))
	}
	*c.value = text
	return nil
}

// addresses are base URLs by name. Each Set adds one or, with commas between, several.
type addresses struct{ value *map[string]string }

func (a *addresses) String() string {
	if a.value == nil {
		return ""
	}
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(*a.value)) {
		pairs = append(pairs, name+"="+(*a.value)[name])
	}
	return strings.Join(pairs, ",")
}

func (a *addresses) Type() string { return "name=URL" }

func (a *addresses) Set(text string) error {
	all := map[string]string{}
	maps.Copy(all, *a.value)
	for pair := range strings.SplitSeq(text, ",") {
		name, address, ok := strings.Cut(strings.TrimSpace(pair), "=")
		u, err := url.Parse(address)
		if !ok || name == "" || err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return fmt.Errorf("%q is not of the form name=http://host:port", pair)
		}
		all[name] = address
	}
	*a.value = all
	return nil
}
