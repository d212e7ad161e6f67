package allinone

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/uuid"

	"insurance.example/exchange/pkg/docstore"
	"insurance.example/exchange/pkg/docstore/sqlitestore"
)

// siblings are the databases of one data folder. The folder has them in a file, so that one that is missing or of
// another exchange is found: the exchange would serve its records as if they had never been.
type siblings struct {
	// Exchange is the identity that the databases share.
	Exchange string `json:"exchange"`
	// Services are the names of the services that have a database.
	Services []string `json:"services"`
}

func siblingsFile(data string) string { return filepath.Join(data, "exchange.json") }

// readSiblings returns what the data folder says about its databases; none for a folder without such a file, which is
// new, or of an earlier release, or was made from a backup. It refuses a folder that lacks one of them.
func readSiblings(data string) (siblings, error) {
	var s siblings
	text, err := os.ReadFile(siblingsFile(data))
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err == nil {
		err = errors.Join(json.Unmarshal(text, &s), os.Chmod(siblingsFile(data), 0o600))
	}
	if err != nil {
		return s, fmt.Errorf("%s: %w", siblingsFile(data), err)
	}
	for _, service := range s.Services {
		if _, err := os.Stat(StoreFile(data, service)); err != nil {
			return s, fmt.Errorf("the folder lacks a database: %w; put it back from a backup, or name another folder "+
				"with --data", err)
		}
	}
	return s, nil
}

// adopt compares the databases with one another and with what the folder says, and notes in the folder what there is.
func (s siblings) adopt(ctx context.Context, data string, stores map[string]docstore.Store) error {
	is := map[string]string{}
	for service, store := range stores {
		known, err := store.(*sqlitestore.Store).Identify(ctx, sqlitestore.Identity{})
		if err != nil {
			return err
		}
		if s.Exchange == "" {
			s.Exchange = known.Exchange
		}
		is[service] = known.Exchange
	}
	if s.Exchange == "" {
		s.Exchange = uuid.NewString()
	}
	var services []string
	for service, exchange := range is {
		if exchange != "" && exchange != s.Exchange {
			return fmt.Errorf("%s is of another exchange than its siblings; put its own back from a backup",
				StoreFile(data, service))
		}
		services = append(services, service)
	}
	for service, exchange := range is {
		if exchange == "" {
			store := stores[service].(*sqlitestore.Store)
			if _, err := store.Identify(ctx, sqlitestore.Identity{Exchange: s.Exchange}); err != nil {
				return err
			}
		}
	}
	slices.Sort(services)
	if slices.Equal(services, s.Services) {
		return nil
	}
	s.Services = services
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	next := siblingsFile(data) + ".new"
	if err := os.WriteFile(next, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(next, siblingsFile(data))
}
