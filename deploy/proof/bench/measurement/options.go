package measurement

import (
	"regexp"
	"time"
)

// Options are what the command line says of a measurement.
type Options struct {
	Command     string        // path of the exchange's command
	Duration    time.Duration // how long each side of a row is driven
	Connections int
	Policies    int            // of the book that the rows are about
	Only        *regexp.Regexp // matches the names of the rows to measure; nil: all
	Processes   bool           // whether the gateway and the services are processes of their own
	Mongo       bool           // whether the records are in MongoDB
	MongoURL    string         // of that MongoDB
	Together    bool           // whether the exchange and the callers of -overload share all cores
	Callers     int            // of each row of -overload; 0 for those of its name
	Count       int            // records of each kind that -scale loads
	Keep        string         // folder that keeps what -scale has loaded; "" for none
}
