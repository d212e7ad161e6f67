// Command count measures how much there is to read: lines, files and exported names, and what two requests pass.
// Generated files count apart.
//
//	count             prints the tables of the repository in the current folder;
//	                  it builds and runs the exchange, which takes minutes
//	count -bounds     only reports packages that are too large or whose map in doc.go is wrong, and rooms that import
//	                  each other in a circle
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

func main() {
	bounds := flag.Bool("bounds", false, "only report what is over a bound")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: count [-bounds]   (make count, make verify)")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	if err := count(os.Stdout, *bounds); err != nil {
		fmt.Fprintln(os.Stderr, "count:", err)
		os.Exit(1)
	}
}

func count(out io.Writer, onlyBounds bool) error {
	packages, err := list("./...")
	if err != nil {
		return err
	}
	if onlyBounds {
		return withinBounds(packages)
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	printRooms(table, packages)
	printPackages(table, packages)
	compiled, err := list("-deps", "./services/parties/cmd/parties")
	if err != nil {
		return err
	}
	sum := total(compiled)
	fmt.Fprintf(table, "\nservices/parties compiles\t%d lines\t%d of them code\t\n", sum.lines, sum.code)
	if err := printGenerated(table); err != nil {
		return err
	}
	if err := table.Flush(); err != nil {
		return err
	}
	return printRequests(out)
}
