"""Pictures for the papers' pages: the SVG elements that charts need, on a white background, in the style of `copse demo`."""
import html
import math

# Colours that colour-blind readers tell apart (Okabe and Ito).
BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY = '#0072b2', '#d55e00', '#009e73', '#cc79a7', '#e69f00', '#56b4e9'
INK, FAINT, GRID, AXIS = '#333333', '#767676', '#e8e8e8', '#999999'


def _attributes(style):
    return ''.join(f' {key.replace("_", "-")}="{html.escape(str(value))}"' for key, value in style.items())


class Figure:
    """A card; positions are pixels from its upper left corner."""

    def __init__(self, width, height, title, subtitle=''):
        self.width, self.height, self.parts = width, height, []
        self.text(40, 44, title, size=19, font_weight=600)
        if subtitle:
            self.text(40, 68, subtitle, fill=FAINT)

    def _add(self, element, inside=None, **style):
        end = '/>' if inside is None else f'>{inside}</{element}>'
        self.parts.append(f'<{element}{_attributes(style)}{end}')

    def text(self, x, y, words, anchor='start', size=14, fill=INK, **style):
        self._add('text', html.escape(str(words), quote=False), x=f'{x:.1f}', y=f'{y:.1f}', text_anchor=anchor, font_size=size,
                  fill=fill, **style)

    def line(self, x1, y1, x2, y2, stroke=AXIS, **style):
        self._add('line', x1=f'{x1:.1f}', y1=f'{y1:.1f}', x2=f'{x2:.1f}', y2=f'{y2:.1f}', stroke=stroke, **style)

    def rect(self, x, y, width, height, **style):
        self._add('rect', x=f'{x:.1f}', y=f'{y:.1f}', width=f'{width:.1f}', height=f'{height:.1f}', **style)

    def dot(self, x, y, radius, **style):
        self._add('circle', cx=f'{x:.1f}', cy=f'{y:.1f}', r=f'{radius:.2f}', **style)

    def path(self, points, closed=False, **style):
        style.setdefault('fill', 'none')
        self._add('polygon' if closed else 'polyline', points=' '.join(f'{x:.1f},{y:.1f}' for x, y in points), **style)

    def diamond(self, x, y, radius, **style):
        self.path([(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)], closed=True, **style)

    def legend(self, x, y, items):
        """One row of (label, mark, colour); mark is line, band, dot, ring or diamond."""
        for label, mark, colour in items:
            if mark == 'line':
                self.line(x, y, x + 24, y, stroke=colour, stroke_width=2.5)
            elif mark == 'band':
                self.rect(x, y - 6, 24, 12, fill=colour, fill_opacity=.22)
            elif mark == 'dot':
                self.dot(x + 12, y, 4, fill=colour, fill_opacity=.8)
            elif mark == 'ring':
                self.dot(x + 12, y, 4, fill='#ffffff', stroke=colour, stroke_width=1.6)
            else:
                self.diamond(x + 12, y, 6, fill='#ffffff', stroke=colour, stroke_width=1.8)
            self.text(x + 31, y + 4.5, label, size=13)
            x += 31 + 7.1 * len(label) + 22

    def save(self, path):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" '
                f'height="{self.height}" font-family="system-ui, \'Helvetica Neue\', Helvetica, Arial, sans-serif" font-size="14">\n'
                f'<rect x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8" fill="#ffffff" stroke="#dddddd"/>\n')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(head + '\n'.join(self.parts) + '\n</svg>\n')


def step(low, high, n):
    """A round step that divides the range into about n parts."""
    raw = (high - low) / n
    power = 10 ** math.floor(math.log10(raw))
    return power * next(k for k in (1, 2, 5, 10) if raw / power <= k * 1.5 or k == 10)


def ticks(low, high, n):
    s = step(low, high, n)
    return [k * s for k in range(math.ceil(low / s - 1e-9), math.floor(high / s + 1e-9) + 1)]


class Axes:
    """A plot inside a figure: box is (left, top, right, bottom) in pixels, ranges are in the data's units."""

    def __init__(self, figure, box, across, up):
        self.figure, self.box, self.across, self.up = figure, box, across, up

    def x(self, value):
        left, _, right, _ = self.box
        return left + (value - self.across[0]) / (self.across[1] - self.across[0]) * (right - left)

    def y(self, value):
        _, top, _, bottom = self.box
        return bottom - (value - self.up[0]) / (self.up[1] - self.up[0]) * (bottom - top)

    def frame(self, across='', up='', n_across=6, n_up=6):
        """Grid, ticks and labels; no numbers along a side whose n is 0."""
        f, (left, top, right, bottom) = self.figure, self.box
        for v in ticks(*self.up, n_up) if n_up else ():
            f.line(left, self.y(v), right, self.y(v), stroke=GRID)
            f.text(left - 8, self.y(v) + 4.5, f'{v:.6g}', 'end', 13, FAINT)
        for v in ticks(*self.across, n_across) if n_across else ():
            f.line(self.x(v), bottom, self.x(v), bottom + 5)
            f.text(self.x(v), bottom + 20, f'{v:.6g}', 'middle', 13, FAINT)
        f.line(left, bottom, right, bottom)
        if across:
            f.text((left + right) / 2, bottom + 44, across, 'middle')
        if up:
            x, y = left - 52, (top + bottom) / 2
            f.text(x, y, up, 'middle', transform=f'rotate(-90 {x:.1f} {y:.1f})')

    def powers(self, label, n_up, up=''):
        """The frame of a plot whose x values are decimal logarithms: ticks at powers of ten."""
        self.frame(label, up, n_across=0, n_up=n_up)
        bottom = self.box[3]
        for power in range(math.ceil(self.across[0] - 1e-9), math.floor(self.across[1] + 1e-9) + 1):
            self.figure.line(self.x(power), bottom, self.x(power), bottom + 5)
            self.figure.text(self.x(power), bottom + 20, f'{10 ** power:,g}', 'middle', 13, FAINT)

    def path(self, points, **style):
        self.figure.path([(self.x(a), self.y(b)) for a, b in points], **style)

    def band(self, points, **style):
        """points: (x, low, high)."""
        edge = [(self.x(a), self.y(high)) for a, _, high in points] + [(self.x(a), self.y(low)) for a, low, _ in reversed(points)]
        self.figure.path(edge, closed=True, **style)

    def dot(self, a, b, radius, **style):
        self.figure.dot(self.x(a), self.y(b), radius, **style)


def rounded(values, n=6, pad=.04):
    """A range of round numbers around the values."""
    low, high = min(values), max(values)
    margin = pad * (high - low or abs(high) or 1)
    s = step(low - margin, high + margin, n)
    return s * math.floor((low - margin) / s), s * math.ceil((high + margin) / s)


def strips(path, title, subtitle, unit, groups, notes=None):
    """One column of dots per group of values with its mean, a paper's mean beside it where there is one.

    groups: (label, values, paper's mean or None)."""
    figure = Figure(960, 520, title, subtitle)
    every = [v for _, values, paper in groups for v in [*values, *([paper] if paper else [])]]
    axes = Axes(figure, (100, 120, 930, 440), (0, len(groups)), rounded(every))
    axes.frame(up=unit, n_across=0)
    figure.legend(100, 96, [('one fold', 'dot', SKY), ('mean', 'line', BLUE)] + (
        [("the paper's mean", 'diamond', VERMILION)] if any(paper for _, _, paper in groups) else []))
    for i, (label, values, paper) in enumerate(groups):
        middle, mean = i + .5, sum(values) / len(values)
        for k, v in enumerate(values):
            axes.dot(middle - .12 + .24 * (k + .5) / len(values), v, 3.6, fill=SKY, fill_opacity=.75)
        figure.line(axes.x(middle - .2), axes.y(mean), axes.x(middle + .2), axes.y(mean), stroke=BLUE, stroke_width=3)
        if paper:
            figure.diamond(axes.x(middle + .28), axes.y(paper), 6, fill='#ffffff', stroke=VERMILION, stroke_width=1.8)
        figure.text(axes.x(middle), 464, label, 'middle', font_weight=600)
        figure.text(axes.x(middle), 484, (notes or {}).get(label, f'{mean:.4g}'), 'middle', 13, FAINT)
    figure.save(path)
