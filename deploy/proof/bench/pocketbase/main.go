// Command pocketbase serves PocketBase (https://pocketbase.io) with one collection, the vehicles of the exchange, for
// the bench to compare the exchange with. It prints the URL that it listens on, a token by which the collection can
// be used, and how durable a write is: a line of JSON. It serves until it is interrupted or terminated.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"os"

	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/security"
)

func main() {
	folder := flag.String("dir", "", "`folder` of the data")
	flag.Parse()
	if *folder == "" {
		fmt.Fprintln(os.Stderr, "pocketbase: name the folder of the data with -dir")
		os.Exit(2)
	}
	if err := serve(*folder, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pocketbase:", err)
		os.Exit(1)
	}
}

// listening is what is printed.
type listening struct {
	URL   string `json:"url"`
	Token string `json:"token"`
	// Journal and Synchronous are SQLite's pragmas of these names. In the journal "wal", a synchronous of 2 (FULL)
	// means that a write is on the disk when it is acknowledged, and 1 (NORMAL) that it is there some time later.
	Journal     string `json:"journal"`
	Synchronous int    `json:"synchronous"`
}

// serve serves PocketBase on a folder of data, and writes once to out.
func serve(folder string, out io.Writer) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{DefaultDataDir: folder, HideStartBanner: true})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	app.OnServe().BindFunc(func(e *core.ServeEvent) error {
		said, err := prepare(e.App)
		if err != nil {
			return err
		}
		if e.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return err
		}
		e.InstallerFunc = nil // which would open a browser
		if err := e.Next(); err != nil {
			return err
		}
		said.URL = "http://" + e.Listener.Addr().String()
		return json.NewEncoder(out).Encode(said)
	})
	return apis.Serve(app, apis.ServeConfig{AllowedOrigins: []string{"*"}})
}

// prepare makes the collection, unless the folder has it, and a user who may use it.
func prepare(app core.App) (*listening, error) {
	settings := app.Settings()
	settings.Logs.MaxDays = 0 // the exchange keeps no log of requests either, unless it is told to
	if err := app.Save(settings); err != nil {
		return nil, err
	}
	if _, err := app.FindCollectionByNameOrId(vehicles); err != nil {
		if err := app.Save(vehicleCollection()); err != nil {
			return nil, err
		}
	}
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return nil, err
	}
	user := core.NewRecord(users)
	user.SetEmail(security.RandomString(12) + "@bench.example")
	user.SetPassword(security.RandomString(30))
	if err := app.Save(user); err != nil {
		return nil, err
	}
	said := &listening{}
	if said.Token, err = user.NewAuthToken(); err != nil {
		return nil, err
	}
	if err := app.NonconcurrentDB().NewQuery("PRAGMA synchronous").Row(&said.Synchronous); err != nil {
		return nil, err
	}
	return said, app.NonconcurrentDB().NewQuery("PRAGMA journal_mode").Row(&said.Journal)
}

const vehicles = "vehicle"

// vehicleCollection is a collection of records with the members of a vehicle of the exchange. A token is needed, as
// there.
func vehicleCollection() *core.Collection {
	c := core.NewBaseCollection(vehicles)
	for _, name := range []string{"plateNumber", "vin", "chassisNumber"} {
		c.Fields.Add(&core.TextField{Name: name})
	}
	for _, name := range []string{"registration", "performance", "physical"} {
		c.Fields.Add(&core.JSONField{Name: name})
	}
	c.Fields.Add(&core.AutodateField{Name: "createdAt", OnCreate: true})
	withToken := `@request.auth.id != ""`
	c.ListRule, c.ViewRule, c.CreateRule = &withToken, &withToken, &withToken
	return c
}
