package policy

import (
	"path"

	"github.com/spf13/pflag"
)

// login requires that a service logs in to MongoDB as a user of its own, whose password is in a Secret that no other
// service has. A base leaves it to the overlay.
func (c *check) login(w workload, p Program, flags *pflag.FlagSet) {
	user, file := flags.Lookup("mongo-user").Value.String(), flags.Lookup("mongo-password-file").Value.String()
	switch {
	case flags.Changed("mongo-x509") || len(c.Namespaces) == 0:
		return
	case user == "":
		c.rule(w, ruleLogin, "it logs in to MongoDB as nobody", "add components/mongodb to the overlay")
		return
	case user != p.Name:
		c.add(w.String(), "it logs in to MongoDB as %s; a service has a user of its own, which has its name", user)
	}
	secret := secretAt(w, file)
	for _, other := range c.running() {
		if other.name == w.name {
			continue
		}
		for _, volume := range other.pod.Spec.Volumes {
			if volume.Secret != nil && volume.Secret.SecretName == secret {
				c.add(w.String(), "its password of MongoDB is in the Secret %s, which %s has too; give each its own",
					secret, other)
			}
		}
	}
}

// secretAt returns the name of the Secret that puts a file into the container of a workload; "" if there is none.
func secretAt(w workload, file string) string {
	for _, mount := range w.container().VolumeMounts {
		for _, volume := range w.pod.Spec.Volumes {
			if volume.Name != mount.Name || volume.Secret == nil {
				continue
			}
			for _, item := range volume.Secret.Items {
				if path.Join(mount.MountPath, item.Path) == file {
					return volume.Secret.SecretName
				}
			}
		}
	}
	return ""
}
