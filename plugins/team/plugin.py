"""What the plugin `team` adds to Vouch."""

from vouch.hooks import AccessControl, Command, Plugin

_EXAMPLES = """\
examples:
  vouch admin user add ada --admin                   add an admin, who may do everything; asks for her password
  vouch admin user add bob                           add a person; the password may also come from standard input
  vouch admin user role bob papers editor            let him add documents to a collection and remove them
  vouch admin group add lab                          make a group
  vouch admin group join lab bob                     put a person into it
  vouch admin group role lab '*' reader              let its members read every collection
  vouch admin invite --collection papers --role reader    print a link with which one person can create an account
  vouch admin token add bob --label backup           print a token for a program, once
  vouch admin sessions revoke bob                    log him out everywhere
  vouch admin quota set bob questions 30             let him ask 30 questions a minute
  vouch admin audit --collection papers --since 7d   list who saw or changed what there in the last week
  vouch admin user list --json                       list all people, for a program

These are the accounts of vouch serve --accounts. They are stored beside the collections, or in the database that
VOUCH_STATE names: docs/team.md.
"""

PLUGIN = Plugin(
    name="team",
    summary="Serve collections to a team: accounts with roles, single sign-on, quotas and an audit log.",
    commands=(
        Command(
            "admin",
            "manage who may log in to vouch serve --accounts, and what they may do",
            options="plugins.team.admin_options:add_admin_options",
            run="plugins.team.admin:run",
            examples=_EXAMPLES,
        ),
    ),
    access=(AccessControl("team", open="plugins.team.access:open_access", tables="plugins.team.tables:METADATA"),),
)
