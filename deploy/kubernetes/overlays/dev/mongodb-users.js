// Makes MongoDB's replica set and its users, where they are missing. It runs in mongosh on the machine of the server, again
// and again: what is there stays, and a password that was changed is set. It succeeds once there is a primary with all users.
//
// /mongodb has a folder for each service, with the password of its user, and the folder server with that of the user who
// administers. That one is made by the exception that MongoDB makes for this machine while there is no user.
const fs = require('fs');
const password = name => fs.readFileSync(`/mongodb/${name}/password`, 'utf8').trim();
const admin = db.getSiblingDB('admin');

function login(as, name) {
  try {
    return as.auth(name, password(name)).ok === 1;
  } catch (refused) {
    return false;
  }
}

function attempt(what) {
  try {
    what();
  } catch (refused) {
    print(refused.message);
  }
}

if (!login(admin, 'server')) {
  // It fails if there is a replica set already, such as one that was made before there were users.
  attempt(() => rs.initiate({_id: 'rs0', members: [{_id: 0, host: process.env.EXCHANGE_MONGODB_HOST}]}));
  if (db.hello().isWritablePrimary) {
    attempt(() => admin.createUser({user: 'server', pwd: password('server'), roles: ['root']}));
  }
  if (!login(admin, 'server')) {
    quit(1);
  }
}
if (!db.hello().isWritablePrimary) {
  quit(1);
}
for (const name of fs.readdirSync('/mongodb')) {
  if (name === 'server' || login(new Mongo('mongodb://127.0.0.1:27017/?directConnection=true').getDB('admin'), name)) {
    continue;
  }
  const user = {pwd: password(name), roles: [{role: 'readWrite', db: name}]};
  if (admin.getUser(name)) {
    admin.updateUser(name, user);
  } else {
    admin.createUser({user: name, ...user});
  }
}
quit(0);
