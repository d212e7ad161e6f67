package main

import (
	"regexp"
	"time"
)

// options are what the command line says of a measurement.
type options struct {
	command     string        // path of the exchange's command
	duration    time.Duration // how long each side of a row is driven
	connections int
	policies    int            // of the book that the rows are about
	only        *regexp.Regexp // matches the names of the rows to measure; nil: all
	processes   bool           // whether the gateway and the services are processes of their own
	mongo       bool           // whether the records are in MongoDB
	mongoURL    string         // of that MongoDB
	together    bool           // whether the exchange and the callers of -overload share all cores
	callers     int            // of each row of -overload; 0 for those of its name
	count       int            // records of each kind that -scale loads
	keep        string         // folder that keeps what -scale has loaded; "" for none
}
