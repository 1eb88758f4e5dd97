# What a person does with the booted machine: looks whether the service runs, drops a card's dump into its folder, and counts what came out.
check() {
    if [ "$1" = 0 ]; then echo "PASS $2"; else echo "FAIL $2"; fi
}

waited=0
until [ "$(systemctl is-active filmgate.service)" = active ] || [ $waited -ge 90 ]; do
    sleep 1
    waited=$((waited + 1))
done
systemctl is-active --quiet filmgate.service
check $? "the unit is started at boot (it said so itself: Type=notify)"
[ "$(stat -c %U "/proc/$(systemctl show -P MainPID filmgate.service)")" = filmgate ]
check $? "it runs as its own user"

su -s /bin/sh filmgate -c 'cp -r /srv/filmgate/CARD /srv/filmgate/hot/' 2>/dev/null
wanted=$(find /srv/filmgate/CARD -type f ! -name '.*' ! -path '*/.*' ! -name 'Thumbs.db' -exec sha256sum {} + | cut -d' ' -f1 | sort -u)
waited=0
while [ $waited -lt 120 ]; do
    found=$(find /srv/filmgate/archive -type f ! -path '*/.*' -exec sha256sum {} + | cut -d' ' -f1 | sort)
    [ "$found" = "$wanted" ] && break
    sleep 1
    waited=$((waited + 1))
done
[ "$found" = "$wanted" ] && [ -n "$found" ]
check $? "every picture of the dropped card is delivered, once ($(echo "$found" | wc -l) files)"
systemctl reload filmgate.service
check $? "it can be told to read its pipeline again"
sleep 2
systemctl stop filmgate.service
[ "$(systemctl show -P Result filmgate.service)" = success ]
check $? "it stops in peace"
journalctl -u filmgate.service --no-pager -o cat | tail -5
echo "PERSON-END"
poweroff -f
