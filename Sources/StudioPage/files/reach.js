// Browsers cap how tall an element is, some at 16.7 million points of the screen: a longer list lies in less room.
const most = 4000000, exact = 500000;

/** Where the window of a list is. Near both ends, and for what is scrolled in one go, a pixel is a pixel; only between far places the room is less than the list. */
export class Reach {
  /** @param {HTMLElement} grid what scrolls @param {HTMLElement} space as tall as there is room */
  constructor(grid, space) {
    this.grid = grid;
    this.space = space;
    /** How tall the list is. */
    this.tall = 0;
    /** So much further down than the browser says. */
    this.offset = 0;
    this.last = 0;
  }

  get top() { return this.grid.scrollTop + this.offset; }

  get isAtTop() { return this.top < 1; }

  /** How far the browser can scroll, and how far the list goes. */
  get ends() { return [Math.min(this.tall, most), this.tall].map((tall) => Math.max(0, tall - this.grid.clientHeight)); }

  /** @param {number} tall */
  resize(tall) {
    const { top } = this, isScaled = Math.max(tall, this.tall) > most;
    this.tall = tall;
    this.space.style.height = `${Math.min(tall, most)}px`;
    if (isScaled) this.go(top);
  }

  /** @param {number} top */
  go(top) {
    const [room, list] = this.ends, wanted = Math.min(list, Math.max(0, top));
    this.grid.scrollTop = turn(wanted, list, room);
    this.last = this.grid.scrollTop;
    // The browser may have rounded it.
    this.offset = this.tall > most ? wanted - this.last : 0;
  }

  /** The browser has scrolled. */
  scrolled() {
    const now = this.grid.scrollTop, step = Math.abs(now - this.last), [room, list] = this.ends;
    this.last = now;
    if (this.tall <= most) return;
    if (step > 3 * this.grid.clientHeight) this.offset = turn(now, room, list) - now;
    else if ((now <= 0 && this.offset > 0) || (now >= room - 1 && this.top < list - 1)) this.go(this.top);
  }
}

// The same place in another length.
/** @param {number} place @param {number} from @param {number} to */
function turn(place, from, to) {
  if (from === to || place <= exact) return place;
  if (place >= from - exact) return to - (from - place);
  return exact + ((place - exact) * (to - 2 * exact)) / (from - 2 * exact);
}
